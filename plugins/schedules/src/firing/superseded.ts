import type { Row } from '@svc/store/contract'
import type { Schedule } from '../schedule.ts'
import type { Setting } from '../setting.ts'
import { entryOf } from './entries.ts'
import type { Verdict } from './judge.ts'

/** The entries of the tiers that a verdict supersedes. */
export const supersededBy = (
  schedule: Schedule,
  { superseded }: Verdict,
  run: string | null,
  setting: Setting,
): readonly Row[] =>
  superseded.map((due) => entryOf(schedule, due, { id: setting.newId(), run, status: 'superseded' }, setting))
