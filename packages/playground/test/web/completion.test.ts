import { describe, expect, it } from 'vitest'
import { parseEntry, suggestCommands } from '../../src/web/chat/completion.ts'

const COMMANDS = [
  { command: '/hc', description: 'Health checks', usageHint: 'list', isEscaped: false },
  { command: '/threat', description: 'Threat events', usageHint: 'ID', isEscaped: false },
]

describe('the text in the message field', () => {
  it.each([
    ['hello', { kind: 'message', text: 'hello' }],
    ['/hc', { kind: 'command', command: '/hc', text: '' }],
    ['/HC  list --status up ', { kind: 'command', command: '/hc', text: 'list --status up' }],
    ['/frob it', { kind: 'unknown-command', command: '/frob' }],
    ['/etc/passwd', { kind: 'message', text: '/etc/passwd' }],
  ])('is parsed before it is sent: %j', (text, entry) => {
    expect(parseEntry(text, COMMANDS)).toEqual(entry)
  })

  it.each([
    ['/', 1, ['/hc', '/threat']],
    ['/TH list', 3, ['/threat']],
    ['/hc l', 5, []],
    ['see /hc', 7, []],
  ])('suggests the commands that begin with what is typed: %j at %i', (text, caret, suggested) => {
    expect(suggestCommands(text, caret, COMMANDS).map(({ command }) => command)).toEqual(suggested)
  })
})
