import type { Data, Kept, Writes } from '@svc/domain/contract'
import type { Call } from '@svc/kernel'
import type { Setting } from '../setting.ts'
import type { Asked } from '../subjects/who.ts'

/** What an erase is carried out with. */
export interface Carrying {
  readonly setting: Setting
  readonly asked: Pick<Asked, 'hash' | 'secret' | 'subject'>
  readonly call: Pick<Call, 'caller' | 'requestId'>
  readonly data: Data
  readonly writes: Writes
  readonly at: string
  readonly retained: ReadonlySet<NonNullable<Kept['told']>>
  /** The resources that are left out. */
  readonly excluded: ReadonlySet<string>
  /** Undefined of an erase of which nothing is remembered. */
  readonly pseudonym: string | undefined
  /** The one that an earlier erase has remembered the person by. */
  readonly former: string | undefined
}

/** How many records are seen to at once. */
export const PORTION = 500
