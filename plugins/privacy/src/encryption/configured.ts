import type { Site } from '@svc/domain/contract'
import type { EncryptionDefinition } from './definition.ts'
import { readKeyFile, readWrappingKeys, type WrappingKeys } from './wrapping-keys.ts'

/** The variable that holds the keys, or says where their file is, unless a definition names another. */
const VARIABLE = 'SVC_ENCRYPTION_KEY'

/** Reads the operator's keys; undefined where they were reported as missing or malformed. */
export function configuredKeys(
  { keySource = 'env', keyVariable = VARIABLE }: EncryptionDefinition,
  path: readonly string[],
  site: Site,
): WrappingKeys | undefined {
  const at = [...path, 'keyVariable']
  const held = site.model.variables.secret(`\${${keyVariable}}`)?.reveal()
  if (held === undefined) {
    const hint = `Set it to a key of 'svc keys generate'; a definition that is submitted reads what 'domain.env_allow' lists`
    site.problem(at, `the variable ${keyVariable} is not set, or this definition may not read it`, hint)
    return undefined
  }
  const text = keySource === 'env' ? held : readKeyFile(held)
  const where = keySource === 'env' ? keyVariable : `the file that ${keyVariable} names`
  const read = text === undefined ? 'cannot be read as a small file' : readWrappingKeys(text)
  if (typeof read !== 'string') return read
  site.problem(at, `${where} ${read}`, "A key is 32 bytes in base64, as 'svc keys generate' makes one")
  return undefined
}
