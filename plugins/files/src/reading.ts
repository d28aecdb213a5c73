import { type Caller, errors } from '@svc/kernel'
import type { Reader } from '@svc/store/contract'
import type { Owners } from './owners.ts'
import type { FileRow } from './table.ts'

/** Lets a caller read a file, or throws FORBIDDEN. */
export type AssertReadable = (file: FileRow, caller: Caller) => Promise<void>

/** Where files are not for everybody, those that belong to something are for whom that says, others for every signed-in caller. */
export const readingOf =
  (owners: Owners, reader: Reader, isPublic: boolean): AssertReadable =>
  async (file, caller) => {
    if (isPublic) return
    const owner = await owners.of(file, reader)
    if (owner !== undefined && !owner.mayRead(caller))
      throw errors.FORBIDDEN({ message: `This file is ${owner.what} that is not open to you` })
  }
