/** A type of this language, with what other systems call it. */
interface Foreign {
  readonly words: readonly string[]
  /** What stands for it; undefined where no type does. */
  readonly type?: string
  /** What to write, where that is more than the type. */
  readonly advice?: string
}

const FOREIGN: readonly Foreign[] = [
  {
    words: ['enum', 'select', 'choice', 'choices', 'dropdown', 'radio'],
    type: 'string',
    advice: "Write 'type: string' with 'enum: [one, another]'",
  },
  {
    words: ['multiselect', 'tags', 'list'],
    type: 'array',
    advice: "Write 'type: array' with 'items: string'",
  },
  {
    words: ['relation', 'relationship', 'reference', 'ref', 'foreignkey', 'belongsto', 'hasmany', 'hasone'],
    advice: "Name the other resource under 'relationships'",
  },
  { words: ['varchar', 'nvarchar', 'char', 'character'], type: 'string' },
  { words: ['longtext', 'mediumtext', 'clob', 'textarea'], type: 'text' },
  { words: ['richtext', 'html', 'wysiwyg'], type: 'markdown' },
  { words: ['bigint', 'smallint', 'long', 'short'], type: 'integer' },
  { words: ['serial', 'bigserial', 'identity', 'sequence'], type: 'autoincrement' },
  { words: ['object', 'map', 'dict'], type: 'json' },
  { words: ['file', 'image', 'upload', 'attachment', 'blob', 'binary', 'bytea'], type: 'media' },
  { words: ['point', 'geography', 'location', 'geopoint'], type: 'geometry' },
  { words: ['tel', 'telephone'], type: 'phone' },
  { words: ['timestamptz', 'instant'], type: 'datetime' },
]

const byWord: ReadonlyMap<string, Foreign> = new Map(
  FOREIGN.flatMap((foreign) => foreign.words.map((word) => [word, foreign] as const)),
)

/** What to write in place of a type of another system; undefined where none of the `known` types stands for it. */
export function adviceFor(name: string, known: ReadonlyMap<string, unknown>): string | undefined {
  const foreign = byWord.get(name.toLowerCase())
  if (foreign === undefined) return undefined
  const { type, advice } = foreign
  if (type !== undefined && !known.has(type)) return undefined
  return advice ?? `Write 'type: ${type}'`
}
