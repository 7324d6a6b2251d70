/** A fault at its place in the text. */
export type EditorMark = { readonly from: number; readonly to: number; readonly message: string }
