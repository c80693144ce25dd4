import { describe, expect, it } from 'vitest'
import { TEXT_LIMITS } from '../../../../packages/runtime/src/text-limits.ts'
import { readCsr, readCsrFile } from '../../../../src/features/cert-orders/rules/csr/csr.ts'
import { createHostileTexts } from '../../../hostile-texts.ts'
import { readSeed } from '../../../random.ts'
import {
  alternativeNames,
  buildRequest,
  buildSubject,
  extension,
  host,
  type SubjectPart,
} from './build-request.ts'
import { der, oid, sequence, set } from './encode-der.ts'

/** An object identifier with one arc of this many bytes. */
const longObjectId = (bytes: number): Buffer => der(0x06, Buffer.alloc(bytes - 1, 0xff), Buffer.from([0x01]))
const repeat = <T>(count: number, value: T): T[] => Array.from({ length: count }, () => value)

describe('a CSR', () => {
  const TOO_LONG = longObjectId(45_000)
  const TOO_MANY = TEXT_LIMITS.csrParts + 1

  it.each<[excess: string, parts: Parameters<typeof buildRequest>[0], error: string]>([
    [
      'too long an object identifier in its subject',
      { subject: sequence(set(sequence(TOO_LONG, der(0x0c, 'a')))) },
      'has 45,000 bytes. The limit is 64',
    ],
    [
      'too long an object identifier among its attributes',
      { attributes: [sequence(TOO_LONG, set())] },
      'has 45,000 bytes. The limit is 64',
    ],
    [
      'too many names',
      { extensions: [alternativeNames(...repeat(TEXT_LIMITS.csrNames + 1, host('a.b')))] },
      'more than 1,000 entries',
    ],
    [
      'too many extensions',
      { extensions: repeat(TOO_MANY, extension('1.2.3', sequence())) },
      'more than 100 entries',
    ],
    [
      'too many attributes',
      { attributes: repeat(TOO_MANY, sequence(oid('1.2.3'), set())) },
      'more than 100 entries',
    ],
    [
      'too many parts in its subject',
      { subject: buildSubject(...repeat<SubjectPart>(TOO_MANY, ['2.5.4.3', 'a'])) },
      'more than 100 entries',
    ],
  ])('is rejected if it has %s, with the limit in the error', (_, parts, error) => {
    expect(readCsrFile(buildRequest(parts))).toEqual({ problem: expect.stringContaining(error) })
  })

  it('is accepted with 1,000 names and an object identifier of 64 bytes', () => {
    const request = buildRequest({
      subject: sequence(set(sequence(longObjectId(64), der(0x0c, 'a')))),
      extensions: [alternativeNames(...repeat(TEXT_LIMITS.csrNames, host('a.b.com')))],
    })
    const result = readCsrFile(request)
    expect('csr' in result && result.csr.names.length).toBe(TEXT_LIMITS.csrNames)
  })

  it('is read or refused, whatever its text and its names are', () => {
    for (const { text } of createHostileTexts(4000, readSeed())) {
      const named = buildRequest({
        subject: buildSubject(['2.5.4.3', text], ['2.5.4.10', text]),
        extensions: [alternativeNames(host(text))],
      })
      for (const result of [readCsr(text), readCsrFile(Buffer.from(text)), readCsrFile(named)])
        expect(Object.keys(result)).toEqual([expect.stringMatching(/^(csr|problem)$/)])
    }
  })
})
