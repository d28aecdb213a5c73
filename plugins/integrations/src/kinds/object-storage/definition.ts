import { DurationText } from '@svc/automation/contract'
import { z } from 'zod'
import { awsKeys } from '../../auth/aws-sigv4.ts'
import { commonKeys, sendingKeys } from '../../definition/integration.ts'
import { operationKeys } from '../../definition/operation.ts'

const KeysDefinition = z.strictObject({
  type: z.literal('aws_sigv4'),
  ...awsKeys,
  region: z.string().min(1).optional().describe("The integration's own unless said."),
  service: z.string().min(1).optional().describe('s3 unless said.'),
})

const StorageOperation = z
  .strictObject({
    ...operationKeys,
    action: z.enum(['put', 'get', 'list', 'delete', 'presign']).describe('What is done.'),
    key: z
      .string()
      .min(1)
      .optional()
      .describe('The key below `prefix`, with values in braces; of a list, what keys begin with.'),
    contentType: z
      .string()
      .min(1)
      .optional()
      .describe(
        'Of a put: what the body is. With `saveTo`: what is saved, in place of what the storage says.',
      ),
    body: z.json().optional().describe('Of a put: a mapping, sent as JSON, or a text.'),
    media: z
      .string()
      .min(1)
      .optional()
      .describe('Of a put, in place of `body`: the id of an item of the library.'),
    saveTo: z
      .string()
      .min(1)
      .optional()
      .describe('Of a get: the media field of `$record` that takes the object as an item of the library.'),
    limit: z.int().min(1).max(1000).optional().describe('Of a list: how many at most; 1000 unless said.'),
    after: z.string().min(1).optional().describe('Of a list: the key behind which it begins.'),
    method: z.enum(['GET', 'PUT']).optional().describe('Of a presign: GET unless said.'),
    expiresIn: DurationText.optional().describe('Of a presign: 15m unless said, at most 7d.'),
  })
  .describe('One thing that is done with objects.')
export type StorageOperation = z.output<typeof StorageOperation>

/** An integration of type `object_storage`. */
export const StorageDefinition = z
  .strictObject({
    type: z.enum(['object_storage', 'objectStorage', 'storage', 's3']),
    ...commonKeys,
    ...sendingKeys,
    auth: z.union([KeysDefinition, z.array(KeysDefinition).length(1)]).describe('The keys: aws_sigv4.'),
    bucket: z
      .string()
      .regex(/^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/, 'is no name of a bucket')
      .describe('The bucket.'),
    region: z.string().min(1).optional().describe('us-east-1 unless said.'),
    endpoint: z.string().min(1).optional().describe('Where the storage is: AWS unless said.'),
    prefix: z.string().optional().describe('What all keys begin with; nothing unless said.'),
    pathStyle: z
      .boolean()
      .optional()
      .describe('Whether the bucket stands in the path, not in the name of the host: true with `endpoint`.'),
    operations: z.record(z.string(), StorageOperation).optional().describe('What it does, by name.'),
  })
  .describe('A storage of objects that speaks S3.')
export type StorageDefinition = z.output<typeof StorageDefinition>
