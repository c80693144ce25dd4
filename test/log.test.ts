import { describe, expect, it } from 'vitest'
import { createLog } from '../src/log.ts'

function logged(fields: object): string {
  const lines: string[] = []
  createLog('trace', { write: (line) => void lines.push(line) }).info(fields, 'A line.')
  return lines.join('')
}

describe('a line of the log', () => {
  it.each([
    { what: 'at the top', fields: { token: 'planted' } },
    { what: 'below', fields: { request: { response_url: 'planted', kind: 'command' } } },
    { what: 'in a list', fields: { calls: [{ body: { csr: 'planted' } }] } },
    { what: 'deeper than any line of ours', fields: { a: { b: { c: { d: { e: { odd: 'planted' } } } } } } },
  ])('never holds what is secret: $what', ({ fields }) => {
    expect(logged(fields)).not.toContain('planted')
    expect(logged(fields)).toContain('[cut]')
  })

  it('holds the rest as it is', () => {
    expect(JSON.parse(logged({ reference: 'abc', ms: 3, of: ['x', 1] }))).toMatchObject({
      level: 'info',
      reference: 'abc',
      ms: 3,
      of: ['x', 1],
      msg: 'A line.',
    })
  })

  it('holds of an error its own words, without tokens, and nothing that hangs on it', () => {
    const error = Object.assign(new Error('refused xoxb-1-planted, Bearer planted'), {
      request: { headers: 'planted' },
    })
    const line = logged({ err: error })
    expect(line).not.toContain('planted')
    expect(JSON.parse(line).err).toMatchObject({ name: 'Error', message: 'refused [cut], [cut]' })
  })
})
