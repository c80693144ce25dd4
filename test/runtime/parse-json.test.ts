import { expect, it } from 'vitest'
import { parseJson } from '../../packages/runtime/src/parse-json.ts'

const nested = (depth: number, open: string, close: string): string =>
  open.repeat(depth) + close.repeat(depth)

it.each([
  { text: nested(150_000, '[', ']'), isRead: true },
  { text: nested(150_001, '[', ']'), isRead: false },
  { text: nested(75_001, '[{"a":', '}]').replace(':}', ':1}'), isRead: false },
  // Many brackets, of which few are open at once.
  { text: `[${'[],'.repeat(200_000)}{}]`, isRead: true },
  { text: `[${'{"a":1},'.repeat(200_000)}[]]`, isRead: true },
  { text: JSON.stringify(['['.repeat(200_000), '\\"{'.repeat(100_000)]), isRead: true },
])(
  'refuses JSON that is nested too deeply, and none that is only long: $text.length characters',
  ({ text, isRead }) => {
    if (isRead) expect(parseJson(text)).toBeInstanceOf(Array)
    else expect(() => parseJson(text)).toThrow('Nested too deeply')
  },
)
