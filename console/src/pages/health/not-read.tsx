/** A part whose dependency did not answer. */
export const NotRead = ({ of }: { of: string }) => (
  <p className="table-note">{of} did not answer. The checks above say why.</p>
)
