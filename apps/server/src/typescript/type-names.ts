/** Names that no exported type can have, and those that the generated text itself uses. */
const TAKEN: readonly string[] = `
  any bigint boolean never null number object string symbol undefined unknown void
  as asserts await break case catch class const continue debugger default delete do else enum export extends
  false finally for function if implements import in instanceof interface let new package private protected
  public return static super switch this throw true try type typeof var while with yield
  Json List Readonly Record UserReference
`
  .trim()
  .split(/\s+/)

/** Gives every type a name of its own: the one that is asked for, with underscores where it is taken. */
export function createTypeNames(): (wanted: string) => string {
  const taken = new Set(TAKEN)
  return (wanted) => {
    let name = wanted
    while (taken.has(name)) name += '_'
    taken.add(name)
    return name
  }
}
