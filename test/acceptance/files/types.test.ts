import { expect, it } from 'vitest'
import { STORES } from '../../kit/stores.ts'
import { PDF, PNG, useDesk, zipOf } from './desk.ts'
import { PLACES } from './places.ts'

const OFFICE = 'application/vnd.openxmlformats-officedocument'
const DOCX = `${OFFICE}.wordprocessingml.document`
const SVG = '<svg xmlns="http://www.w3.org/2000/svg"/>'
const utf16 = (text: string) => Buffer.concat([Buffer.from([0xff, 0xfe]), Buffer.from(text, 'utf16le')])
const box = (brand: string) =>
  Buffer.concat([Buffer.from([0, 0, 0, 24]), Buffer.from(`ftyp${brand}`), Buffer.alloc(200)])
const padding = Object.fromEntries(Array.from({ length: 200 }, (_, at) => [`x/${at}`, 'y'.repeat(1000)]))
const word = { '_rels/.rels': '<x/>', 'word/document.xml': '<x/>' }

const desk = useDesk(STORES[0]!, PLACES[0]!, { allowed_types: ['*/*'] })
const send = async (type: string, bytes: Buffer | string) => {
  const { status, body } = await desk().upload({ type, bytes, name: 'a' })
  return status === 201 ? 'taken' : `${status} ${body.errors?.[0].rule}`
}

it.each<[string, Buffer | string]>([
  ['image/png', PNG],
  ['image/gif', Buffer.from('GIF89a\x01\0\x01\0\0\0\0;', 'latin1')],
  ['image/webp', Buffer.from('RIFF\x1a\0\0\0WEBPVP8L\x0d\0\0\0', 'latin1')],
  ['application/pdf', PDF],
  ['application/zip', zipOf({ 'a.txt': 'a' })],
  [DOCX, zipOf({ '[Content_Types].xml': '<x/>', ...word })],
  [DOCX, zipOf({ ...word, ...padding, '[Content_Types].xml': '<x/>' })],
  [
    'application/vnd.oasis.opendocument.text',
    zipOf({ mimetype: 'application/vnd.oasis.opendocument.text', 'content.xml': '<x/>' }),
  ],
  ['audio/mpeg', Buffer.concat([Buffer.from('ID3\x04\0\0\0\0\x0f\x7f', 'latin1'), Buffer.alloc(500)])],
  ['audio/mp4', box('M4A ')],
  ['video/mp4', box('isom')],
  ['text/plain', 'text'],
  ['text/plain', utf16('text')],
  ['text/html', '<p>'],
  ['application/json', '{"a": 1'],
  ['text/csv', Buffer.from([0x61, 0xe9, 0x3b])],
  ['image/svg+xml', SVG],
  ['image/svg+xml', `\uFEFF<?xml version="1.0"?>\n<!-- <html> -->\n<!DOCTYPE svg PUBLIC "a>b" "c">\n${SVG}`],
  ['image/svg+xml', '<s:svg xmlns:s="http://www.w3.org/2000/svg"/>'],
  ['image/svg+xml', utf16(SVG)],
  ['application/octet-stream', Buffer.from('MZ\0\0', 'latin1')],
])('[C1.5] bytes that are %s are taken as that', async (type, bytes) => {
  expect(await send(type, bytes)).toBe('taken')
})

it.each<[string, Buffer | string]>([
  ['image/png', '<html>'],
  ['image/png', SVG],
  ['image/png', PDF],
  ['image/png', PNG.subarray(0, 4)],
  ['image/jpeg', PNG],
  ['image/heic', 'text'],
  ['application/pdf', `junk\n${PDF.toString()}`],
  ['application/pdf', PNG],
  ['application/zip', 'PX'],
  [DOCX, zipOf({ 'a.txt': 'a' })],
  [DOCX, zipOf({ '[Content_Types].xml': '<x/>', 'xl/workbook.xml': '<x/>' })],
  [DOCX, PDF],
  ['application/vnd.oasis.opendocument.text', zipOf({ 'a.txt': 'a' })],
  ['video/mp4', '<html>'],
  ['audio/mpeg', 'MZ'],
  ['font/woff2', 'wOFX'],
  ['text/plain', Buffer.from('a\0b')],
  ['text/plain', Buffer.concat([Buffer.alloc(200_000, 'a'), Buffer.from([0])])],
  ['application/json', Buffer.from('{}\0')],
  ['image/svg+xml', '<html><svg/></html>'],
  ['image/svg+xml', '<svgx/>'],
  ['image/svg+xml', 'text'],
  ['image/svg+xml', `${SVG}\0`],
  ['text/plain', ''],
  ['application/octet-stream', ''],
])('[C1.5] bytes that are no %s are not taken as that', async (type, bytes) => {
  expect(await send(type, bytes)).toBe('422 content')
})
