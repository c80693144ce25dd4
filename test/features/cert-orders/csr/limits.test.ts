import { describe, expect, it } from 'vitest'
import { TEXT_LIMITS } from '../../../../packages/runtime/src/text-limits.ts'
import { readCsr, readCsrFile } from '../../../../src/features/cert-orders/rules/csr/csr.ts'
import { findSuperlinearTexts } from '../../../hostile-texts.ts'
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
  it.each([
    {
      excess: 'an object identifier of 45 KB in its subject',
      request: buildRequest({ subject: sequence(set(sequence(longObjectId(45_000), der(0x0c, 'a')))) }),
      error: 'has 45,000 bytes. The limit is 64',
    },
    {
      excess: 'an object identifier of 45 KB among its attributes',
      request: buildRequest({ attributes: [sequence(longObjectId(45_000), set())] }),
      error: 'has 45,000 bytes. The limit is 64',
    },
    {
      excess: 'too many names',
      request: buildRequest({
        extensions: [alternativeNames(...repeat(TEXT_LIMITS.csrNames + 1, host('a.b')))],
      }),
      error: 'more than 1,000 entries',
    },
    {
      excess: 'too many extensions',
      request: buildRequest({ extensions: repeat(TEXT_LIMITS.csrParts + 1, extension('1.2.3', sequence())) }),
      error: 'more than 100 entries',
    },
    {
      excess: 'too many attributes',
      request: buildRequest({ attributes: repeat(TEXT_LIMITS.csrParts + 1, sequence(oid('1.2.3'), set())) }),
      error: 'more than 100 entries',
    },
    {
      excess: 'too many parts in its subject',
      request: buildRequest({
        subject: buildSubject(...repeat<SubjectPart>(TEXT_LIMITS.csrParts + 1, ['2.5.4.3', 'a'])),
      }),
      error: 'more than 100 entries',
    },
  ])('is rejected if it has $excess, with the limit in the error', async ({ request, error }) => {
    const result = await readCsrFile(request)
    expect('problem' in result && result.problem).toContain(error)
  })

  it('is accepted with 5,000 names and an object identifier of 64 bytes', async () => {
    const request = buildRequest({
      subject: sequence(set(sequence(longObjectId(64), der(0x0c, 'a')))),
      extensions: [alternativeNames(...repeat(TEXT_LIMITS.csrNames, host('a.b.com')))],
    })
    const result = await readCsrFile(request)
    expect('csr' in result && result.csr.names.length).toBe(TEXT_LIMITS.csrNames)
  })

  const seed = readSeed()
  it(`is parsed in linear time, as text or as bytes and with any name (seed ${seed})`, async () => {
    const asName = (text: string) =>
      readCsr(buildRequest({ extensions: [alternativeNames(host(text))] }).toString('base64'))
    const asSubject = (text: string) =>
      readCsr(
        buildRequest({ subject: buildSubject(['2.5.4.3', text], ['2.5.4.10', text]) }).toString('base64'),
      )
    for (const read of [readCsr, (text: string) => readCsrFile(Buffer.from(text)), asName, asSubject])
      expect(await findSuperlinearTexts(4000, seed, read)).toEqual([])
  }, 60_000)
})
