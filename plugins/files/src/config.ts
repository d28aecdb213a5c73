import { z } from 'zod'
import { readAllowed } from './media-types/allowed.ts'
import { sizeOf } from './size.ts'

/** What is taken unless the configuration says otherwise. */
const USUAL =
  'png jpg gif webp avif bmp tiff svg pdf txt csv md json zip docx xlsx pptx odt ods odp ttf otf woff2 audio/* video/*'.split(
    ' ',
  )

const size = z.union([z.int().min(1), z.string()]).refine((written) => sizeOf(written) !== undefined, {
  error: "must be a size above zero: bytes, or a number with b, kb, mb or gb, such as '10 mb'",
})

const allowed = z.string().superRefine((entry, context) => {
  const read = readAllowed(entry)
  if ('fault' in read) context.addIssue({ code: 'custom', message: read.fault })
})

const role = z.string().refine((name) => name !== '*' && name !== '?' && name !== '', {
  error:
    'must be the name of a role: files are never taken from strangers, and belong to nobody before they are there',
})

const text = z.string().min(1)

const s3 = z.strictObject({
  endpoint: z
    .url({ protocol: /^https?$/, error: 'must be an address that begins with http:// or https://' })
    .describe('The address of the storage, without the bucket'),
  bucket: text.describe('The bucket, which has to be there'),
  access_key_id: text.describe('The name of the key'),
  secret_access_key: text.describe('The key'),
  region: text.default('us-east-1').describe('The region that requests are signed for'),
  prefix: z.string().default('').describe('What all names in the bucket begin with'),
  path_style: z
    .boolean()
    .default(true)
    .describe('The bucket stands in the path of addresses; false: in the name of the host'),
})
export type S3Config = z.output<typeof s3>

/** The configuration section `files`. */
export const config = z
  .strictObject({
    root: text
      .optional()
      .describe(
        'The folder of the files; `files` unless said, which is made with the first file: where it cannot be, the start warns. One that is named and cannot be written ends the start',
      ),
    max_file_size: size
      .default('10mb')
      .describe('The largest file: bytes, or a number with b, kb, mb or gb (1 kb is 1,024 bytes)'),
    allowed_types: z
      .array(allowed)
      .default(USUAL)
      .describe(
        'What files may be: media types, `type/*`, `*/*`, or extensions, which stand for their types',
      ),
    upload_roles: z
      .array(role)
      .default([])
      .describe('Who may upload files: callers with one of these roles; empty: every signed-in caller'),
    serve_public: z
      .boolean()
      .default(true)
      .describe('Everybody who knows the path of a file may read it; false: signed-in callers alone'),
    s3: s3
      .optional()
      .describe('Keep the files in a bucket of S3, or of what speaks like it, in place of a folder'),
  })
  .refine(({ root, s3: bucket }) => root === undefined || bucket === undefined, {
    path: ['root'],
    message: "must not stand beside 's3': files are kept in one place",
  })
export type FilesConfig = z.output<typeof config>
