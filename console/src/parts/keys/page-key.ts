/** A key of one page, such as `r`. */
export type PageKey = { key: string; does: string; act: () => void }
