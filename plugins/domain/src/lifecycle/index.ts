import type { Action, Logger } from '@svc/kernel'
import { exportDomain } from './export.ts'
import { get } from './get.ts'
import { language } from './language.ts'
import type { Lifecycle } from './lifecycle.ts'
import { list } from './list.ts'
import { migrations } from './migrations.ts'
import { preview } from './preview.ts'
import { rollback } from './rollback.ts'
import { schema } from './schema.ts'
import { source } from './source.ts'
import { submit } from './submit.ts'

/** The actions on domains themselves. */
export const lifecycleActions = (around: Lifecycle & { readonly log: Logger }): readonly Action[] =>
  [submit, preview, list, get, schema, language, source, exportDomain, migrations, rollback].map((make) =>
    make(around),
  )
