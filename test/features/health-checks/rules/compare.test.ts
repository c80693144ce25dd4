import { expect, it } from 'vitest'
import { applyPatch } from '../../../../src/features/health-checks/rules/compare.ts'

it.each([
  { from: 'TCP', verifySsl: undefined, patch: { protocol: 'HTTPS' }, expected: true },
  { from: 'HTTP', verifySsl: undefined, patch: { protocol: 'https' }, expected: true },
  { from: 'TCP', verifySsl: undefined, patch: { protocol: 'HTTPS', verifySsl: false }, expected: false },
  { from: 'HTTPS', verifySsl: undefined, patch: { frequency: 60 }, expected: undefined },
  { from: 'HTTPS', verifySsl: false, patch: { frequency: 60 }, expected: false },
  { from: 'HTTPS', verifySsl: true, patch: { protocol: 'HTTP' }, expected: undefined },
] as const)(
  'checks certificates of $from, $verifySsl, after $patch: $expected',
  ({ from, verifySsl, patch, expected }) => {
    const fields = { name: 'web', protocol: from, address: { is: 'resolve' }, verifySsl } as const
    expect(applyPatch(fields, patch).verifySsl).toBe(expected)
  },
)
