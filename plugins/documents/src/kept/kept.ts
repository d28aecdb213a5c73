import type { Model } from '@svc/domain/contract'
import type { KeptFile } from '../contract.ts'
import type { Viewed } from '../view.ts'

/** What other plugins make documents of, by templateName. */
export type KeptFiles = ReadonlyMap<string, KeptFile>

/** What the documents of a file are filed under. */
export const templateNameOf = (kind: string, name: string): string => `${kind}:${name}`

/** What plugins told of a model while it was compiled. */
export interface KeptRegister {
  note(kind: string, model: Model, all: readonly KeptFile[]): void
  of(model: Model): KeptFiles
}

export function createKeptRegister(): KeptRegister {
  const noted = new WeakMap<Model, KeptFiles>()
  const of = (model: Model): KeptFiles => noted.get(model) ?? new Map()
  return {
    note(kind, model, all) {
      const own = all.map((one) => [templateNameOf(kind, one.name), one] as const)
      noted.set(model, new Map([...of(model), ...own]))
    },
    of,
  }
}

/** Who sees the documents of files. */
export const viewedOf = (kept: KeptFiles): ReadonlyMap<string, Viewed> =>
  new Map([...kept].map(([name, { view }]) => [name, { name, view }]))
