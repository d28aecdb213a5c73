/** What a package of each type has inside (ECMA-376): names of files in a zip are not compressed. */
const PARTS: Readonly<Record<string, string>> = {
  'application/vnd.openxmlformats-officedocument.wordprocessingml.document': 'word/',
  'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet': 'xl/',
  'application/vnd.openxmlformats-officedocument.presentationml.presentation': 'ppt/',
}
const CONTENTS = '[Content_Types].xml'

/** Looks in the bytes of a zip, as they pass, for the names of files that a type has; undefined for a type that has none. */
export function officeSearch(
  type: string,
): { pass(chunk: Uint8Array): void; isFound(): boolean } | undefined {
  const part = PARTS[type]
  if (part === undefined) return undefined
  const wanted = new Set([CONTENTS, part])
  let end = Buffer.alloc(0)
  return {
    pass(chunk) {
      if (wanted.size === 0) return
      const bytes = Buffer.concat([end, chunk])
      for (const name of wanted) if (bytes.includes(name, 0, 'latin1')) wanted.delete(name)
      end = bytes.subarray(-CONTENTS.length)
    },
    isFound: () => wanted.size === 0,
  }
}
