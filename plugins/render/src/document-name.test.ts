import { describe, expect, it } from 'vitest'
import { documentName } from './document-name.ts'

describe('C6.13: names of files', () => {
  it.each([
    ['Order 7', 'Order 7.pdf'],
    ['Order 7.pdf', 'Order 7.pdf'],
    ['Order 7.PDF', 'Order 7.PDF'],
    ['a/b\\c:d*e?f"g<h>i|j\n\u0000k', 'a-b-c-d-e-f-g-h-i-j--k.pdf'],
    ['.. .hidden. .', 'hidden.pdf'],
    ['../../etc/passwd', '-..-etc-passwd.pdf'],
    ['', 'document.pdf'],
    [' . ', 'document.pdf'],
    ['.pdf', 'pdf.pdf'],
    ['x'.repeat(200), `${'x'.repeat(150)}.pdf`],
    ['😀'.repeat(200), `${'😀'.repeat(150)}.pdf`],
    [`${'x'.repeat(200)}.pdf`, `${'x'.repeat(146)}.pdf`],
    ['Łódź €', 'Łódź €.pdf'],
  ])('%j is %j', (text, name) => expect(documentName(text, 'pdf')).toBe(name))

  it('end as the format does', () => {
    expect(documentName('a.pdf', 'docx')).toBe('a.pdf.docx')
    expect(documentName('a', 'markdown')).toBe('a.md')
  })
})
