/** `/client/vivace.js`: the client, and `<vivace-capture>` for pages. */
export * from './capture/index.ts'
export { Delivery, submitCaptures } from './capture/submit.ts'
export * from './index.ts'
