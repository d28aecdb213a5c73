/** What a file says of the other packages of the house, and what it is to say. */
export interface Statement {
  readonly file: string
  readonly written: readonly string[]
  readonly wanted: readonly string[]
}
export declare function statements(root: string): readonly Statement[]
export declare function renew(root: string): readonly string[]
