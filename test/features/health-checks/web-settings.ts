import type { Settings } from '../../../src/features/health-checks/rules/fields.ts'

export const WEB = {
  name: 'web',
  protocol: 'HTTPS',
  target: 'www.example.com',
  port: 443,
  frequency: 60,
  customerId: 1,
  httpServerAddress: '192.0.2.7',
  verifySsl: true,
} satisfies Settings
