/** Text that marks code with backticks and emphasis with asterisks, as the documents do. */
export function InlineCode({ text }: { text: string }) {
  return (
    <>
      {text.split(/(`[^`]*`|\*\*[^*]+\*\*)/).map((part, index) => {
        // oxlint-disable-next-line react/no-array-index-key -- the parts never move
        if (part.startsWith('`')) return <code key={index}>{part.slice(1, -1)}</code>
        return part.startsWith('**') ? part.slice(2, -2) : part
      })}
    </>
  )
}
