import fc from 'fast-check'
import { seedOf } from './random.ts'

// Otherwise fast-check would pick its own seed, which rerunning a failed file wouldn't repeat.
fc.configureGlobal({ ...fc.readConfigureGlobal(), seed: seedOf() })
