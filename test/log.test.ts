import { describe, expect, it } from 'vitest'
import { createLog } from '../src/log.ts'

function writeLine(fields: object): string {
  const lines: string[] = []
  createLog('trace', { write: (line) => void lines.push(line) }).info(fields, 'A line.')
  return lines.join('')
}

describe('a log line', () => {
  it.each([
    ['at the top level', { token: 'planted' }],
    ['in an object', { request: { response_url: 'planted', kind: 'command' } }],
    ['in a list', { calls: [{ body: { csr: 'planted' } }] }],
    ['deeper than any real log line', { a: { b: { c: { d: { e: { secret: 'planted' } } } } } }],
  ])('never contains a secret %s', (_position, fields) => {
    expect(writeLine(fields)).not.toContain('planted')
    expect(writeLine(fields)).toContain('[cut]')
  })

  it('contains everything else unchanged', () => {
    expect(JSON.parse(writeLine({ reference: 'abc', ms: 3, values: ['x', 1] }))).toMatchObject({
      level: 'info',
      reference: 'abc',
      ms: 3,
      values: ['x', 1],
      msg: 'A line.',
    })
  })

  it('contains an error’s message without tokens, and none of its other properties', () => {
    const error = Object.assign(new Error('refused xoxb-1-planted, Bearer planted'), {
      request: { headers: 'planted' },
    })
    const line = writeLine({ err: error })
    expect(line).not.toContain('planted')
    expect(JSON.parse(line).err).toMatchObject({ name: 'Error', message: 'refused [cut], [cut]' })
  })
})
