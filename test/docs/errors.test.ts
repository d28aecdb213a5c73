import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { AppError } from '@svc/kernel'
import { expect, it } from 'vitest'

// The page is made of the tables of errors themselves. Renew it with `vitest run test/docs -u`.

const ROOT = join(import.meta.dirname, '../..')
const PAGE = join(ROOT, 'docs/errors.md')

interface Row {
  readonly code: string
  readonly status: number
  readonly message: string
  readonly owner: string
}

it('docs/errors.md tells every error', async () => {
  await expect(page(await allRows())).toMatchFileSnapshot(PAGE)
})

/** The rows of every table, each code of an owner once. */
async function allRows(): Promise<readonly Row[]> {
  const plugins = readdirSync(join(ROOT, 'plugins')).filter((name) =>
    existsSync(join(ROOT, 'plugins', name, 'src/errors.ts')),
  )
  const tables = [
    rowsOf(await import(join(ROOT, 'kernel/src/errors.ts')), 'every part'),
    ...(await Promise.all(
      plugins.map(async (name) => rowsOf(await import(join(ROOT, 'plugins', name, 'src/errors.ts')), name)),
    )),
  ]
  return tables.flat().toSorted((a, b) => a.status - b.status || (a.code < b.code ? -1 : 1))
}

/** The rows of the tables that a module exports: objects whose members make errors of their own names. */
function rowsOf(module: object, owner: string): readonly Row[] {
  const tables = Object.values(module).filter((one) => typeof one === 'object' && one !== null)
  return tables.flatMap((table) =>
    Object.values<unknown>(table).flatMap((make) => {
      const error: unknown = typeof make === 'function' ? make() : undefined
      if (!(error instanceof AppError)) return []
      const { code, status, message } = error
      return [{ code, status, message, owner }]
    }),
  )
}

const page = (rows: readonly Row[]): string => `# Errors

An error is answered as \`{status: 'error', code, error_code, error_message}\`: \`code\` is the HTTP status, \`error_code\` one of those below, and \`error_message\` says what is wrong and what to do, in the words of the case or in those of the table. \`errors\` lists single faults where there are some: \`{field, label?, message, rule}\` of an input, \`{path, line, column?, file?, message}\` of a definition. \`data\` holds what else there is to know: the losses of a DESTRUCTIVE_MIGRATION, the warnings of a definition that was refused. In development the message says more: which rule refused, and what is near an address that is not there.

| Status | Code | Message unless there is a better one | Raised by |
| --- | --- | --- | --- |
${rows.map(({ status, code, message, owner }) => `| ${status} | \`${code}\` | ${message} | ${owner} |`).join('\n')}
`
