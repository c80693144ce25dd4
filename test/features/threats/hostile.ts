import { quickOrLong } from '../../long.ts'
import { readSeed } from '../../random.ts'

const HOSTS = [
  'evil.example',
  'EVIL.EXAMPLE',
  'evil.com',
  'login.evil.co.uk',
  'evil.example.',
  'user:secret@evil.example',
  'bank.example@evil.example',
  '192.0.2.1',
  '3221225985',
  '0xc0.0x00.0x02.0x01',
  '0300.0.2.1',
  '[2001:db8::1]',
  '[::ffff:192.0.2.1]',
  'evil\u3002example',
  'evil\uff0eexample',
  'evil\uff61example',
  'пример.рф',
  'xn--e1afmkfd.xn--p1ai',
  '\u0430\u0440\u0440\u04cf\u0435.com',
  'ev\u200bil.example',
  'ev\u00adil.example',
  '\u202eelpmaxe.live\u202c',
  'evil_host.example',
  'a.b.c.d.e.f.g.h.evil.example',
  'localhost:8080',
]
const SCHEMES = [
  'http://',
  'https://',
  'HTTPS://',
  'hTTp://',
  'ftp://',
  'slack://',
  '//',
  'hxxp://',
  'https:',
  'http:\\\\',
]

const MENTION_NAMES = ['channel', 'here', 'everyone', 'group', 'U0000001', 'W0000001', 'B0000001', 'S0000001']
const MENTIONS = MENTION_NAMES.flatMap((name) => [
  `@${name}`,
  `<@${name}>`,
  `<@${name}|${name}>`,
  `<!${name}>`,
  `<!${name}|@${name}>`,
  `<!subteam^${name}>`,
  `<!subteam^${name}|@team>`,
  `&lt;!${name}&gt;`,
  `&amp;lt;!${name}&amp;gt;`,
  `\u003c!${name}\u003e`,
  `<\u200b!${name}>`,
  `＜!${name}＞`,
])

const CHANNELS = ['general', 'C0000001', 'G0000001', 'D0000001', 'канал'].flatMap((name) => [
  `#${name}`,
  `<#${name}>`,
  `<#${name}|${name}>`,
  `&lt;#${name}&gt;`,
])

const EMOJI = [
  'rotating_light',
  '+1',
  '-1',
  'skull',
  'white_check_mark',
  'flag-de',
  'ok_hand',
  'thumbsup_all',
].flatMap((name) => [`:${name}:`, `x:${name}:x`, `::${name}::`, `:${name}::skin-tone-3:`, `:\u200b${name}:`])

const WRAPPERS: readonly (readonly [string, string])[] = [
  ['*', '*'],
  ['_', '_'],
  ['~', '~'],
  ['`', '`'],
  ['```', '```'],
  ['> ', ''],
  ['>>> ', ''],
  ['• ', ''],
  ['- ', ''],
  ['1. ', ''],
  ['[', '](https://evil.example)'],
  ['![', '](https://evil.example/x.png)'],
  ['<https://evil.example|', '>'],
  ['<mailto:a@evil.example|', '>'],
  ['<slack://open|', '>'],
  ['<!date^1^{date}^https://evil.example|', '>'],
  ['<a href="https://evil.example">', '</a>'],
  ['"><', '>'],
  ['\n', '\n'],
  ['\r', '\u2029'],
  ['<<', '>>'],
  ['&lt;', '&gt;'],
]
const WRAPPED = WRAPPERS.flatMap(([before, after]) =>
  ['word', 'two words', '<!here>', 'evil.example'].map((text) => `${before}${text}${after}`),
)

const MAIL = [
  'a@evil.example',
  'A.B+c@EVIL.EXAMPLE',
  'a＠evil.example',
  '"a b"@evil.example',
  'a@[192.0.2.1]',
  'mailto:a@evil.example',
]
const OTHER_SCHEMES = [
  'javascript:alert(1)',
  'JaVaScRiPt:alert(1)',
  'data:text/html,<b>x</b>',
  'vbscript:x',
  'file:///etc/passwd',
  'blob:https://evil.example/x',
  'tel:+15550100',
  'sms:+15550100',
]

const CODE = [
  '<script>alert(1)</script>',
  '{{constructor.constructor("x")()}}',
  `$${'{7*7}'}`,
  '%s%s%n%x',
  "'; DROP TABLE event; --",
  '`id`',
  '../../../etc/passwd',
  '..\\..\\windows\\win.ini',
  '\\u0000',
  '=1+1',
  '+1+1',
  '-1+1',
  '@SUM(1)',
  '=HYPERLINK("https://evil.example","x")',
  "=cmd|' /C calc'!A0",
  '\t=1+1',
  '__proto__',
  'constructor',
  'toString',
]

const UNUSUAL = [
  'undefined',
  'null',
  'NaN',
  '[object Object]',
  '0',
  '1e309',
  '0x0',
  '٠١٢',
  '\ufeff',
  '\u00a0',
  '\u2028',
  '\u202e\u202d\u202c',
  '\u2066\u2067\u2068\u2069',
  '\u0000\u0001\u0002',
  '\u0007\b\u000b\u000c',
  '\u001b[31mred\u001b[0m',
  '\u007f\u0080\u009f',
  '\udfff\ud800',
  '\ufffe\uffff',
  '\u{e0041}\u{e0042}',
  '\u{1f600}',
  '\u{1f468}\u200d\u{1f469}\u200d\u{1f467}',
  '\u{1f1e9}\u{1f1ea}',
  'Z\u0351\u036b\u0343\u036a\u0302a\u0318\u031dl\u0334g\u0321o\u031e',
  `e${'\u0301'.repeat(5000)}`,
  ' ',
  '\n\n\n',
  'undefinable',
  'ﷺ',
  'ß İ ı ſ K',
  'العربية עברית',
  'שָׁלוֹם <!here>',
  '田中さんにあげて下さい',
  'ｆｕｌｌ ｗｉｄｔｈ',
  '𝐛𝐨𝐥𝐝.𝐞𝐱𝐚𝐦𝐩𝐥𝐞',
  '① ⑵ Ⅷ',
  'á'.repeat(100),
  'W'.repeat(400),
  '. . . .',
  '...........',
  '::::::::',
  '@@@@@@',
  '<<<<<<<<',
  '>>>>>>>>',
  '&&&&&&&&',
  '|||||||',
  '[.][.][.]',
  'hxxps://already[.]example',
]

/** At least 500 hostile strings, of the same kinds as in public lists of “naughty strings”. */
export const CORPUS: readonly string[] = [
  ...new Set([
    ...SCHEMES.flatMap((scheme) => HOSTS.map((host) => `${scheme}${host}/path?q=1&r=<x>#f`)),
    ...HOSTS,
    ...MENTIONS,
    ...CHANNELS,
    ...EMOJI,
    ...WRAPPED,
    ...MAIL,
    ...OTHER_SCHEMES,
    ...CODE,
    ...UNUSUAL,
  ]),
]

/** The tests use every nth string of the corpus, starting at a random one. */
const SAMPLE_INTERVAL = quickOrLong('HOSTILE', { quick: 12, long: 1 })
const SAMPLE_START = readSeed() % SAMPLE_INTERVAL
export const SAMPLED_STRINGS = CORPUS.filter((_, index) => index % SAMPLE_INTERVAL === SAMPLE_START)
