/** A part that could not be read. */
export const NotRead = () => (
  <p className="table-note">It could not be read. The checks above say why.</p>
)
