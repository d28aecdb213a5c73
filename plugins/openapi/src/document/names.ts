/** Answers the wanted name, or the wanted name with a number where it is taken. */
export type ClaimName = (wanted: string) => string

/** Hands out names, each once; `taken` are gone already. */
export function createNames(taken: Iterable<string> = []): ClaimName {
  const used = new Set(taken)
  return (wanted) => {
    let name = wanted
    for (let number = 2; used.has(name); number++) name = `${wanted}${number}`
    used.add(name)
    return name
  }
}
