export declare const BESIDE: readonly string[]
export declare function bundle(root: string): Promise<void>
