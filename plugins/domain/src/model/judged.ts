/** Verdicts on names of fields of some things, each found once: formulas read one another, by many ways. */
export class Judged<Of extends object> {
  readonly #known = new Map<Of, Map<string, boolean>>()

  once(of: Of, name: string, judge: () => boolean): boolean {
    const known = this.#known.get(of) ?? new Map<string, boolean>()
    this.#known.set(of, known)
    const verdict = known.get(name) ?? judge()
    known.set(name, verdict)
    return verdict
  }
}
