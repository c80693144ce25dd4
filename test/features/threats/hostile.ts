import fc from 'fast-check'
import { ANY_CHARACTER } from '../../any-character.ts'
import { quickOrLong } from '../../long.ts'
import { readSeed } from '../../random.ts'

/** What means something to Slack, to whoever reads addresses, to a spreadsheet, or to JavaScript. */
const FRAGMENTS = [
  ...['http://', 'https://', 'hTTps:', 'ftp://', 'slack://', '//', 'hxxp://', 'javascript:x', 'mailto:x'],
  ...['exa.mple', 'evil.example.', 'user:secret@evil.example', 'п.рф', 'ev\u200bil.example', 'localhost:80'],
  ...['xn--e1afmkfd.xn--p1ai', '192.0.2.1', '3221225985', '2001:db8::1', '[::ffff:192.0.2.1]', 'a@b.test'],
  ...['<!channel>', '<!here|here>', '<@U0000001|ann>', '<!subteam^S0000001>', '&lt;!here&gt;', '＜!here＞'],
  ...['@everyone', '<#C0RANDOM01|random>', '#general', ':skull:', '::', '[', ']', '[.]', '> ', '&', '<', '>'],
  ...['<https://evil.example|', '<!date^1^{date}^https://evil.example|', '](https://evil.example)', '|'],
  ...['.', '。', '@', ':', ' ', '\n', '\r', '\u2029', "'", '"', ',', '*', '_', '~', '`', '```'],
  ...['=1+1', '\t=1', '+1', '-1', '@SUM(1)', '/path?q=1#f', '%s', '{{7*7}}', '../..', 'constructor'],
  ...['\0', '\u001b[31m', '\u202e', '\u200b', '\ufeff', '\ud800', '\u{e0041}', '\u{1f468}\u200d\u{1f469}'],
]

/** Texts as an attacker may write them. */
export const HOSTILE = fc
  .array(
    fc.oneof(
      { weight: 4, arbitrary: fc.constantFrom(...FRAGMENTS) },
      { weight: 1, arbitrary: fc.string({ unit: ANY_CHARACTER, maxLength: 8 }) },
    ),
    { minLength: 1, maxLength: 12 },
  )
  .map((parts) => parts.join(''))

/** For tests that need more than a moment for each. */
export const SAMPLED_STRINGS = fc.sample(HOSTILE, {
  seed: readSeed(),
  numRuns: quickOrLong('HOSTILE', { quick: 50, long: 600 }),
})
