import { expect, it } from 'vitest'
import type { Patch, Settings } from '../../../../src/features/health-checks/rules/fields.ts'
import { applyPatch, sameValue } from '../../../../src/features/health-checks/rules/settings.ts'
import { WEB } from '../web-settings.ts'

const PLAIN: Settings = { ...WEB, protocol: 'HTTP', port: 80, verifySsl: undefined }
const MAIL: Settings = { name: 'mail', protocol: 'TCP', target: 'mx.example.com', port: 25 }

it.each<[was: Settings, set: Patch, changes: Settings]>([
  [WEB, { target: 'https://x.example.com:9443/' }, { target: 'https://x.example.com:9443/', port: 9443 }],
  [WEB, { target: 'x.example.com', port: 8443 }, { target: 'x.example.com', port: 8443 }],
  [WEB, { protocol: 'HTTP' }, { protocol: 'HTTP', port: 80, verifySsl: undefined }],
  [
    WEB,
    { protocol: 'TCP' },
    { protocol: 'TCP', port: 443, verifySsl: undefined, httpServerAddress: undefined },
  ],
  [{ ...WEB, port: 8443 }, { protocol: 'HTTP' }, { protocol: 'HTTP', port: 8443, verifySsl: undefined }],
  [PLAIN, { protocol: 'HTTPS' }, { protocol: 'HTTPS', port: 443, verifySsl: true }],
  [PLAIN, { protocol: 'HTTPS', verifySsl: false }, { protocol: 'HTTPS', port: 443, verifySsl: false }],
  [MAIL, { protocol: 'HTTPS' }, { protocol: 'HTTPS', port: 25, verifySsl: true }],
  // The old URL implied the port, and so does the new one.
  [
    { ...WEB, target: 'https://x.example.com:8443/', port: 8443 },
    { target: 'https://y.example.com/' },
    { target: 'https://y.example.com/', port: 443 },
  ],
  [
    { ...WEB, target: 'https://x.example.com/', port: 8443 },
    { target: 'https://y.example.com/' },
    { target: 'https://y.example.com/', port: 8443 },
  ],
  [WEB, { httpServerAddress: null }, { httpServerAddress: undefined }],
])('of %o, %o also changes what it implies', (was, set, changes) => {
  expect(applyPatch(was, set)).toEqual({ ...was, ...changes })
})

it.each<[keyof Settings, string, string, isSame: boolean]>([
  ['httpServerAddress', '2001:db8::1', '2001:0DB8:0:0:0:0:0:1', true],
  ['httpServerAddress', '2001:db8::1', '2001:db8::2', false],
  ['protocol', 'https', 'HTTPS', true],
  ['target', 'HTTPS://Shop.example.com/Path', 'https://shop.example.com/Path', true],
  ['target', 'https://shop.example.com/Path', 'https://shop.example.com/path', false],
  ['name', ' web', 'web', true],
  ['name', 'Web', 'web', false],
])('compares a %s “%s” with “%s” as the service does', (field, left, right, isSame) => {
  expect(sameValue(field, { [field]: left }, { [field]: right })).toBe(isSame)
})
