import { describe, expect, it } from 'vitest'
import { parseEntry, toMentions } from '../../src/web/chat/completion.ts'
import { channel, person } from '../directory.ts'

const directory = {
  commands: [
    { command: '/hc', description: 'Health checks', usageHint: 'list', isEscaped: false },
    { command: '/threat', description: 'Threat events', usageHint: 'ID', isEscaped: false },
  ],
  people: [
    person('U1', { name: 'ada', realName: 'Ada Example' }),
    person('UB', { name: 'Signalman', realName: 'Signalman' }),
  ],
  channels: [channel('C1', { name: 'general' }), channel('C2', { name: 'operations' })],
}

describe('the text in the message field', () => {
  it.each([
    ['hello', { kind: 'message', text: 'hello' }],
    ['/hc', { kind: 'command', command: '/hc', text: '' }],
    ['/HC  list --status up ', { kind: 'command', command: '/hc', text: 'list --status up' }],
    ['/frob it', { kind: 'unknown-command', command: '/frob' }],
    ['/etc/passwd', { kind: 'message', text: '/etc/passwd' }],
  ])('is parsed before it is sent: %j', (text, entry) => {
    expect(parseEntry(text, directory.commands)).toEqual(entry)
  })

  it.each([
    ['hi @signalman', 'hi <@UB>'],
    ['see #general, @nobody', 'see <#C1>, @nobody'],
    ['a < b & c', 'a < b & c'],
  ])('is converted to a message with mentions: %j', (text, message) => {
    expect(toMentions(text, directory)).toBe(message)
  })
})
