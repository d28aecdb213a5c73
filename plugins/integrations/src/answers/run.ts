import { type Data, domainAction, type DomainAction } from '@svc/domain/contract'
import { AppError, type Call, errors } from '@svc/kernel'
import type { Row } from '@svc/store/contract'
import { z } from 'zod'
import { isByHandOf } from '../run/actor.ts'
import { runIs } from '../run/keep.ts'
import type { Setting } from '../run/means.ts'
import { openResult, withoutResponse } from '../run/result.ts'
import { RUN_STATUSES, type RunStatus } from '../tables/runs.ts'
import { keyOf } from './deed.ts'
import { integrationNamed } from './named.ts'

/** The action that tells what has become of a run. */
export const runAction = (setting: Setting): DomainAction =>
  domainAction({
    name: 'run',
    summary: 'See what has become of a run',
    access: 'record',
    routes: ['GET /integrations/:name/runs/:id'],
    input: z.strictObject({
      name: z.string().describe('The name of the integration.'),
      id: z.string().describe('The id of the run.'),
    }),
    output: z.object({
      runId: z.string().describe('Its id.'),
      operation: z.string().describe('The operation.'),
      status: z.enum(RUN_STATUSES).describe('What has become of it.'),
      attempts: z.int().describe('How often it was sent.'),
      recordId: z.string().nullable().describe('The key of its record.'),
      result: z
        .json()
        .describe(
          'What came of it; null as long as it is under way. Its `response` is null for those who neither manage the integration nor did the operation by hand.',
        ),
    }),
    async handle({ name, id }, call, data) {
      const { caller } = call
      const integration = integrationNamed(name, setting.integrations)
      const row = await rowOf(id, data, setting)
      const operation = integration.operations.get(String(row?.['operation']))
      const { now } = setting.parts.env
      const { execute } = operation ?? integration
      execute.assert(caller, now)
      if (row === undefined || row['integration'] !== integration.name) throw noRun(id)
      const seesAll = integration.manage.admits(caller, now)
      const isOwn = isByHandOf(row, caller)
      if (!seesAll) await assertMayGet(row, isOwn, call, data)
      return {
        runId: String(row['id']),
        operation: String(row['operation']),
        status: row['status'] as RunStatus,
        attempts: Number(row['attempts']),
        recordId: row['recordId'] === null ? null : String(row['recordId']),
        result: seesAll || isOwn ? openResult(row, setting) : withoutResponse(openResult(row, setting)),
      }
    },
  }) as DomainAction

/** The row of a run; undefined where there is none. */
async function rowOf(id: string, { reader }: Data, { tables }: Setting): Promise<Row | undefined> {
  if (!UUID.test(id)) return undefined
  const [row] = await reader.select({
    table: tables.runs,
    columns: tables.runs.columns,
    where: runIs(id.toLowerCase()),
    order: [],
  })
  return row
}

/**
 * Throws FORBIDDEN or UNAUTHORIZED for who may not get the record of a run. Of a record that is gone nobody can say who might: the run
 * is there for who did it by hand, and for all others it is NOT_FOUND.
 */
async function assertMayGet(row: Row, isOwn: boolean, call: Call, data: Data): Promise<void> {
  if (row['recordId'] === null) return
  const resource = data.model.resources.get(String(row['resource']))
  try {
    if (resource === undefined) throw noRun(String(row['id']))
    await data.get(resource, keyOf(resource, String(row['recordId'])), call)
  } catch (error) {
    if (!(error instanceof AppError) || error.code !== 'NOT_FOUND') throw error
    if (!isOwn) throw noRun(String(row['id']))
  }
}

const noRun = (id: string) => errors.NOT_FOUND({ message: `There is no run '${id.slice(0, 50)}'` })

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i
