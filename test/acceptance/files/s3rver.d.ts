declare module '@20minutes/s3rver' {
  /** A storage that speaks S3. */
  export default class S3rver {
    constructor(options: object)
    run(): Promise<{ readonly address: string; readonly port: number }>
    close(): Promise<void>
  }
}
