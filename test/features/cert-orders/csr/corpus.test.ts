import { describe, expect, it } from 'vitest'
import { type Csr, readCsr } from '../../../../src/features/cert-orders/rules/csr/csr.ts'
import { formatName } from '../../../../src/features/cert-orders/rules/csr/names.ts'
import { nameOid } from '../../../../src/features/cert-orders/rules/csr/oid-names.ts'
import { type RecordedRequest, readCorpus, readPasted } from './corpus/corpus.ts'

const CORPUS = readCorpus()
/** The requests that are named for their extension. */
const EXTENDED = CORPUS.filter(({ name }) => /^(?!subjectAltName|subject )[\w.]+=/.test(name))
const USUAL_EXTENSIONS =
  /^(?:basicConstraints=.*CA:FALSE|extendedKeyUsage=(?:critical,)?serverAuth(?:,clientAuth)?|keyUsage=(?!.*(?:keyCertSign|cRLSign|encipherOnly|decipherOnly)).*|subjectKeyIdentifier=hash)$/

const COMMON_EXTENSIONS = ['Basic constraints', 'Key usage', 'Extended key usage', 'Subject key identifier']

/** What this app reads in a request, in the form of the corpus. */
const describeCsr = ({ subject, key, signature, names, extensions }: Csr): RecordedRequest['openssl'] => ({
  // openssl shows no exponent there.
  ...{ subject, key: key.replace(/, exponent \d+$/, ''), signature, names: names.map(formatName) },
  extensions: extensions.map(({ oid, isCritical, value }) => {
    const name = nameOid(oid)
    return [name, isCritical && 'critical', COMMON_EXTENSIONS.includes(name) && value]
      .filter(Boolean)
      .join(' ')
  }),
})

describe('the CSRs in the corpus', () => {
  it.each(CORPUS)('are read as openssl reads them: $name', ({ request, openssl = {}, refused }) => {
    const result = readCsr(request)
    if ('problem' in result) return expect(result.problem).toContain(refused ?? 'no rejection is expected')
    expect(refused).toBeUndefined()
    expect(describeCsr(result.csr)).toMatchObject(openssl)
    const { subject, subjectParts } = result.csr
    // What is escaped or grouped in the subject stands in its parts as it is.
    if (!/[\\+]/.test(subject))
      expect(subjectParts.map(({ label, text }) => `${label}=${text}`).join(', ')).toBe(subject)
  })

  it.each(EXTENDED)(
    'have a warning about an extension only if web servers don’t need it: $name',
    ({ name, request }) => {
      const result = readCsr(request)
      expect('csr' in result && result.csr.warnings.length > 0).toBe(!USUAL_EXTENSIONS.test(name))
    },
  )
})

it.each(readPasted())(
  'a request that people make with openssl is read with what is wrong: $name',
  ({ text, reads }) => {
    const result = readCsr(text)
    const said = 'problem' in result ? [result.problem] : result.csr.warnings
    expect(JSON.stringify(result), 'no challenge password is shown').not.toContain('secret')
    if (reads === '') expect(said).toEqual([])
    else expect(said.join('\n')).toContain(reads)
  },
)
