import type { Path, Site } from '@svc/domain/contract'
import { z } from 'zod'
import { checkFile, type Files } from './files.ts'

/** The keys that name whom to trust, in place of the usual ones. */
export const authorityKeys = {
  ca: z.string().min(1).optional().describe('The authorities that are trusted, in PEM.'),
  ca_file: z.string().min(1).optional().describe('The same in a file below integrations.files_dir.'),
} as const

type Written = z.output<z.ZodObject<typeof authorityKeys>>

/** Reads them whenever they are asked for: `ca` stays undefined where nothing is written. */
export type Authorities = () => { readonly ca?: string }

/** Compiles `ca` and `ca_file`; undefined where something is wrong, which is reported. */
export function compileAuthorities(
  { ca, ca_file: file }: Written,
  path: Path,
  site: Site,
  files: Files,
): Authorities | undefined {
  if (ca !== undefined && file !== undefined) {
    site.problem([...path, 'ca_file'], "stands beside 'ca'", 'Write one of them')
    return undefined
  }
  if (ca !== undefined && !isPem(ca)) {
    site.problem(
      [...path, 'ca'],
      'is no certificate in PEM',
      'Write it with its lines BEGIN and END CERTIFICATE',
    )
    return undefined
  }
  if (file !== undefined && !checkFile(file, [...path, 'ca_file'], site, files)) return undefined
  return () => {
    const text = file === undefined ? ca : files.read(file)
    return text === undefined ? {} : { ca: text }
  }
}

export const isPem = (text: string): boolean =>
  /-----BEGIN CERTIFICATE-----[^]+-----END CERTIFICATE-----/.test(text)
