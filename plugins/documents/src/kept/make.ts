import type { Writes } from '@svc/domain/contract'
import { SYSTEM } from '@svc/kernel'
import { readParameters, refuseFaults } from '../compile/parameters.ts'
import type { KeptFile } from '../contract.ts'
import type { Promised } from '../promises/promises.ts'
import { checksumOf, keepFile } from '../keep/keep.ts'
import type { OpenDomain } from '../open-domain.ts'
import type { Means } from '../means.ts'

/** Makes a file that was promised, as the system, and keeps it; `finish` writes in the same transaction. */
export async function makeKept(
  file: KeptFile,
  { id, template, parameters, trigger, depth }: Promised,
  { data, storage }: OpenDomain,
  means: Means,
  finish: (writes: Writes) => Promise<void>,
): Promise<void> {
  const { values, faults } = readParameters(parameters, file.parameters, SYSTEM, () => means.env.now())
  refuseFaults(faults)
  const asker = { caller: SYSTEM, requestId: id }
  const { filename, bytes, locale } = await file.make({ data, asker, parameters: values })
  const facts = {
    templateName: template,
    prefix: file.name,
    checksum: checksumOf(JSON.stringify(file.definition ?? null)),
    format: 'pdf',
    resource: null,
    recordId: null,
    parameters: values,
    locale,
  } as const
  const filing = { facts, filename, bytes, data, asker, storage, id, trigger, options: { depth: depth + 1 } }
  await keepFile(filing, means, { inside: finish })
}
