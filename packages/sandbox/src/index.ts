export { LAB_CA_CERTIFICATE } from './seed/lab-certificates.ts'
export { threatEventId } from './seed/threat-events.ts'
export { type Sandbox, type SandboxOptions, startSandbox } from './start.ts'
