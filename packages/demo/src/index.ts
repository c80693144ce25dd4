export { requestOrder } from './order.ts'
export { startDemo } from './start.ts'
