/** Sentences that say to translators what a key is about; the first that fits counts. */
const CONTEXTS: readonly (readonly [pattern: RegExp, sentence: string])[] = [
  [/^resources\.([^.]+)\.label$/, 'Name of $1'],
  [/^resources\.([^.]+)\.plural$/, 'Name of several of $1'],
  [/^resources\.([^.]+)\.fields\.(.+)\.label$/, "Label of the field '$2' of $1"],
  [/^resources\.([^.]+)\.relationships\.(.+)\.label$/, "Label of the relationship '$2' of $1"],
  [/^resources\.([^.]+)\.states\.(.+)\.label$/, "Label of the state '$2' of $1"],
  [/^resources\.([^.]+)\.transitions\.(.+)\.label$/, "Label of the transition '$2' of $1"],
  [/^resources\.([^.]+)\.operations\.(.+)\.label$/, "Label of the operation '$2' of $1"],
  [/^enums\.([^.]+)\.label$/, "Name of the enumeration '$1'"],
  [/^enums\.([^.]+)\.values\.(.+)\.label$/, "Label of the value '$2' of $1"],
  [/^enums\.([^.]+)\.values\.(.+)\.description$/, "Description of the value '$2' of $1"],
  [/^history\.([^.]+)\.(.+)\.label$/, "Label of the event '$2' in the history of $1"],
  [/^history\.([^.]+)\.(.+)\.detail$/, "Detail of the event '$2' in the history of $1"],
  [
    /^validation\.messages\.([^.]+)\.([^.]+)\.([^.]+)$/,
    "Message where the field '$2' of $1 breaks the rule '$3'",
  ],
  [/^validation\.messages\.([^.]+)\.(.+)$/, "Message of the validation '$2' of $1"],
  [/^validation\.messages\.(.+)$/, "Message where a field breaks the rule '$1'"],
  [/^notifications\.templates\.(.+)\.(subject|body)$/, "The $2 of the notification '$1'"],
  [/^rules\.(.+)\.message$/, "Message of the rule '$1'"],
  [/^(view|report|dashboard)s\.([^.]+)\.label$/, "Name of the $1 '$2'"],
  [/^(view|report|dashboard)s\.([^.]+)\.(.+)$/, "Text '$3' of the $1 '$2'"],
  [/^formats\.true$/, 'How true is written'],
  [/^formats\.false$/, 'How false is written'],
]

/** What a key is about, in a sentence for translators. */
export function contextOf(key: string): string {
  for (const [pattern, sentence] of CONTEXTS) if (pattern.test(key)) return key.replace(pattern, sentence)
  return `Text '${key}'`
}
