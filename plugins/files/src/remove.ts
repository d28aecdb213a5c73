import type { Accounts } from '@svc/auth/contract'
import { type Action, type Caller, defineAction, errors, Reply } from '@svc/kernel'
import type { z } from 'zod'
import type { Files } from './contract.ts'
import type { Owners } from './owners.ts'
import { BASES } from './place.ts'
import { fileAt, pathInput } from './serve.ts'
import type { FileRow } from './table.ts'

/** Makes the action that takes files away. */
export const removeAction = (files: Files, owners: Owners, accounts: Accounts): Action =>
  defineAction<z.output<typeof pathInput>>({
    name: 'files.delete',
    summary: 'Delete a file that you have uploaded, or as an administrator any',
    access: ['authenticated'],
    routes: BASES.map((base) => `DELETE ${base}/*path` as const),
    bind: ({ params }) => params,
    input: pathInput,
    async handle({ path }, { caller }) {
      const file = await fileAt(files, path)
      if (!mayRemove(caller, file))
        throw errors.FORBIDDEN({ message: 'Only who uploaded the file, or an administrator, may delete it' })
      const wasThere = await accounts.transaction(caller, async (transaction) => {
        const owner = await owners.of(file, transaction)
        if (owner !== undefined) throw errors.CONFLICT({ message: `This file is ${owner.what}: delete that` })
        return files.remove(file, transaction)
      })
      if (!wasThere) throw errors.NOT_FOUND({ message: 'No file has this path' })
      return Reply.empty()
    },
  })

const mayRemove = ({ kind, id, roles }: Caller, { createdBy }: FileRow): boolean =>
  kind === 'system' || roles.includes('admin') || (id !== null && id === createdBy)
