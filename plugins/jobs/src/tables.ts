import { column, type Condition, type Index, type Table } from '@svc/store/contract'

/** The columns of a piece of work. */
export const JOB = {
  id: column('id', 'uuid'),
  kind: column('kind', 'text'),
  /**
   * When somebody may claim it: its moment while it waits, the end of its lease while it runs; empty while an earlier
   * one of its lane is there, and where it was put aside.
   */
  due: column('due', 'datetime', true),
  /** The moment that it was put for, or that its next try was put off to. */
  at: column('at', 'datetime'),
  payload: column('payload', 'text'),
  /** What it is found again by. */
  key: column('key', 'text', true),
  /** Its kind and what orders it; of the jobs of one lane one alone is due. */
  lane: column('lane', 'text', true),
  /** Its place in the lane. */
  place: column('place', 'integer', true),
  /** Who holds it: another one with each claim. Nobody while it is empty. */
  token: column('token', 'uuid', true),
  /** How often it was begun. */
  tries: column('tries', 'integer'),
  /** How often it failed. */
  failures: column('failures', 'integer'),
  /** Of how many tries the end is known: the others were lost with their server. */
  settled: column('settled', 'integer'),
  error: column('error', 'json', true),
  failedAt: column('failed_at', 'datetime', true),
  putAt: column('put_at', 'datetime'),
}

/** The columns of a mark: that a job of a kind was put. */
export const MARK = { kind: column('kind', 'text'), mark: column('mark', 'text') }

const there = (of: Index['columns'][number]): Condition => ({ op: 'not', of: { op: 'null', column: of } })

/** Work that is to be done, under way, or put aside; what is done is gone. */
export const jobs: Table = {
  name: 'svc_jobs',
  columns: Object.values(JOB),
  primaryKey: [JOB.id],
  indexes: [
    { name: 'svc_jobs_due', columns: [JOB.kind, JOB.due, JOB.id], unique: false, where: there(JOB.due) },
    { name: 'svc_jobs_key', columns: [JOB.kind, JOB.key], unique: false, where: there(JOB.key) },
    { name: 'svc_jobs_lane', columns: [JOB.lane, JOB.place, JOB.id], unique: false, where: there(JOB.lane) },
    {
      name: 'svc_jobs_lane_head',
      columns: [JOB.lane],
      unique: true,
      where: { op: 'and', of: [there(JOB.lane), there(JOB.due)] },
    },
    { name: 'svc_jobs_failed', columns: [JOB.failedAt], unique: false, where: there(JOB.failedAt) },
  ],
  foreignKeys: [],
}

/** Where jobs have what went wrong with them, in words. */
export const failedJobs = { table: jobs, error: JOB.error }

/** What was put once and is not put again, whatever became of it. */
export const marks: Table = {
  name: 'svc_job_marks',
  columns: [MARK.kind, MARK.mark],
  primaryKey: [MARK.kind, MARK.mark],
  indexes: [],
  foreignKeys: [],
}
