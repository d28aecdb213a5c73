/** What a resource lets its users do with columns. */
export interface Rules {
  /** Names of field types; undefined: every one that a column can have. */
  readonly allowTypes: ReadonlySet<string> | undefined
  readonly maxColumns: number
  readonly permissions: Readonly<Record<'addColumn' | 'renameColumn' | 'deleteColumn', readonly string[]>>
}
