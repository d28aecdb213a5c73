import { type Action, defineAction } from '@svc/kernel'
import type { z } from 'zod'
import type { Auth } from '../../auth.ts'
import { detailOf, userDetail } from '../../profile.ts'
import { ADMIN, rolesOf } from '../../roles.ts'
import { namedUser, type Named, named } from '../named-user.ts'

/** Shows one user with roles. */
export function getUser({ prefix, store }: Auth): Action {
  return defineAction<Named, z.output<typeof userDetail>>({
    name: 'admin.users.get',
    summary: 'Shows one user with roles',
    access: [ADMIN],
    routes: [`GET ${prefix}/admin/users/:user`],
    bind: ({ params }) => params,
    input: named,
    output: userDetail,
    async handle(given) {
      const user = await namedUser(store, given.user)
      return detailOf(user, await rolesOf(store, user.id))
    },
  })
}
