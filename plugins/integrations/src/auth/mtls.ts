import { z } from 'zod'
import { authType } from './auth.ts'
import { authorityKeys, compileAuthorities, isPem } from './authorities.ts'
import { checkFile } from './files.ts'
import { revealed } from './secret.ts'

/** `mtls`: a certificate of one's own (RFC 8446, section 4.4.2). */
export const mtls = authType({
  definition: z.strictObject({
    type: z.literal('mtls'),
    cert: z.string().min(1).optional().describe('The certificate, in PEM.'),
    key: z.string().optional().describe('Its key, in PEM: ${NAME}.'),
    cert_file: z
      .string()
      .min(1)
      .optional()
      .describe('The certificate in a file below integrations.files_dir.'),
    key_file: z.string().min(1).optional().describe('Its key in such a file.'),
    passphrase: z.string().optional().describe('What opens the key: ${NAME}.'),
    ...authorityKeys,
  }),
  compile(written, path, site, { files }) {
    const { cert, cert_file: certFile, key_file: keyFile } = written
    const isInFiles = certFile !== undefined || keyFile !== undefined
    const authorities = compileAuthorities(written, path, site, files)
    const passphrase = written.passphrase === undefined ? null : site.secret([...path, 'passphrase'])
    if (isInFiles) {
      for (const name of ['cert', 'key'] as const)
        if (written[name] !== undefined)
          site.problem([...path, name], `stands beside '${name}_file'`, 'Write one of them')
      for (const [name, file] of [
        ['cert_file', certFile],
        ['key_file', keyFile],
      ] as const)
        if (file === undefined) site.problem([...path, name], 'is missing', 'Name both files')
      if (certFile === undefined || keyFile === undefined) return undefined
      const areThere = [
        checkFile(certFile, [...path, 'cert_file'], site, files),
        checkFile(keyFile, [...path, 'key_file'], site, files),
      ].every(Boolean)
      if (!areThere || authorities === undefined || passphrase === undefined) return undefined
    } else if (cert === undefined || written.key === undefined) {
      const missing = cert === undefined ? 'cert' : 'key'
      site.problem([...path, missing], 'is missing', "Write 'cert' and 'key', or 'cert_file' and 'key_file'")
      return undefined
    } else if (!isPem(cert)) {
      site.problem(
        [...path, 'cert'],
        'is no certificate in PEM',
        'Write it with its lines BEGIN and END CERTIFICATE',
      )
      return undefined
    }
    const key = isInFiles ? null : site.secret([...path, 'key'])
    if (authorities === undefined || passphrase === undefined || key === undefined) return undefined
    return {
      type: 'mtls',
      headers: [],
      query: [],
      secrets: [key, passphrase].filter((one) => one !== null),
      authorize() {
        const own = keyFile === undefined ? key && revealed(key) : files.read(keyFile)
        return {
          tls: {
            ...authorities(),
            cert: certFile === undefined ? cert : files.read(certFile),
            ...(own !== null && { key: own }),
            ...(passphrase && { passphrase: revealed(passphrase) }),
          },
        }
      },
    }
  },
})
