/** Why a text is no picture. `key` is the sentence that says it, `params` what that is made of. */
export interface Fault {
  readonly key: FaultKey
  readonly params: Readonly<Record<string, string | number>>
}

/** What is said of a fault, going on from the field's name; `{name}` stands for a parameter. */
export const FAULTS = {
  empty: 'must not be empty: send an SVG document',
  size: 'must be at most {limit} bytes of SVG',
  malformed: 'must be well-formed XML: {reason} in line {line}, column {column}',
  root: 'must have the root element svg',
  doctype: 'must not declare anything in a DOCTYPE of its own',
  depth: 'must have its elements at most {limit} deep',
  elements: 'must have at most {limit} elements',
  attributes: 'must have at most {limit} attributes on each element',
  namespace: 'must have namespaces of at most {limit} characters',
} as const

export type FaultKey = keyof typeof FAULTS

export const fault = (key: FaultKey, params: Fault['params'] = {}): Fault => ({ key, params })

export const isFault = (made: object): made is Fault => 'key' in made
