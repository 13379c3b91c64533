;; Measures many packed vectors against one, four components at a time.
;;
;; Vectors are 32-bit floats, padded with zeros to a multiple of eight of them (`stride` bytes); the vector in question
;; lies at `query`, `count` others from `rows` on, one after the other. For each of them a 32-bit float is written from
;; `out` on. Two sums that don't wait for each other keep the processor busy.
;;
;; `scripts/vector-kernels.mjs` assembles this text into `kernels-binary.ts`.
(module
  (memory (export "memory") 1)

  ;; The four components of a vector, added up.
  (func $total (param $v v128) (result f32)
    (f32.add
      (f32.add (f32x4.extract_lane 0 (local.get $v)) (f32x4.extract_lane 1 (local.get $v)))
      (f32.add (f32x4.extract_lane 2 (local.get $v)) (f32x4.extract_lane 3 (local.get $v)))))

  ;; Σ(aᵢ − bᵢ)²
  (func (export "squaredEuclidean")
    (param $query i32) (param $rows i32) (param $count i32) (param $stride i32) (param $out i32)
    (local $at i32) (local $end i32) (local $one v128) (local $two v128) (local $d v128)
    (block $done
      (loop $each
        (br_if $done (i32.eqz (local.get $count)))
        (local.set $one (v128.const f32x4 0 0 0 0))
        (local.set $two (v128.const f32x4 0 0 0 0))
        (local.set $at (local.get $query))
        (local.set $end (i32.add (local.get $query) (local.get $stride)))
        (block $measured
          (loop $components
            (br_if $measured (i32.ge_u (local.get $at) (local.get $end)))
            (local.set $d (f32x4.sub (v128.load (local.get $at)) (v128.load (local.get $rows))))
            (local.set $one (f32x4.add (local.get $one) (f32x4.mul (local.get $d) (local.get $d))))
            (local.set $d (f32x4.sub (v128.load offset=16 (local.get $at)) (v128.load offset=16 (local.get $rows))))
            (local.set $two (f32x4.add (local.get $two) (f32x4.mul (local.get $d) (local.get $d))))
            (local.set $at (i32.add (local.get $at) (i32.const 32)))
            (local.set $rows (i32.add (local.get $rows) (i32.const 32)))
            (br $components)))
        (f32.store (local.get $out) (call $total (f32x4.add (local.get $one) (local.get $two))))
        (local.set $out (i32.add (local.get $out) (i32.const 4)))
        (local.set $count (i32.sub (local.get $count) (i32.const 1)))
        (br $each))))

  ;; Σ aᵢ bᵢ
  (func (export "dotProduct")
    (param $query i32) (param $rows i32) (param $count i32) (param $stride i32) (param $out i32)
    (local $at i32) (local $end i32) (local $one v128) (local $two v128)
    (block $done
      (loop $each
        (br_if $done (i32.eqz (local.get $count)))
        (local.set $one (v128.const f32x4 0 0 0 0))
        (local.set $two (v128.const f32x4 0 0 0 0))
        (local.set $at (local.get $query))
        (local.set $end (i32.add (local.get $query) (local.get $stride)))
        (block $measured
          (loop $components
            (br_if $measured (i32.ge_u (local.get $at) (local.get $end)))
            (local.set $one
              (f32x4.add (local.get $one) (f32x4.mul (v128.load (local.get $at)) (v128.load (local.get $rows)))))
            (local.set $two
              (f32x4.add
                (local.get $two)
                (f32x4.mul (v128.load offset=16 (local.get $at)) (v128.load offset=16 (local.get $rows)))))
            (local.set $at (i32.add (local.get $at) (i32.const 32)))
            (local.set $rows (i32.add (local.get $rows) (i32.const 32)))
            (br $components)))
        (f32.store (local.get $out) (call $total (f32x4.add (local.get $one) (local.get $two))))
        (local.set $out (i32.add (local.get $out) (i32.const 4)))
        (local.set $count (i32.sub (local.get $count) (i32.const 1)))
        (br $each))))

  ;; Σ|aᵢ − bᵢ|
  (func (export "manhattan")
    (param $query i32) (param $rows i32) (param $count i32) (param $stride i32) (param $out i32)
    (local $at i32) (local $end i32) (local $one v128) (local $two v128)
    (block $done
      (loop $each
        (br_if $done (i32.eqz (local.get $count)))
        (local.set $one (v128.const f32x4 0 0 0 0))
        (local.set $two (v128.const f32x4 0 0 0 0))
        (local.set $at (local.get $query))
        (local.set $end (i32.add (local.get $query) (local.get $stride)))
        (block $measured
          (loop $components
            (br_if $measured (i32.ge_u (local.get $at) (local.get $end)))
            (local.set $one
              (f32x4.add
                (local.get $one)
                (f32x4.abs (f32x4.sub (v128.load (local.get $at)) (v128.load (local.get $rows))))))
            (local.set $two
              (f32x4.add
                (local.get $two)
                (f32x4.abs (f32x4.sub (v128.load offset=16 (local.get $at)) (v128.load offset=16 (local.get $rows))))))
            (local.set $at (i32.add (local.get $at) (i32.const 32)))
            (local.set $rows (i32.add (local.get $rows) (i32.const 32)))
            (br $components)))
        (f32.store (local.get $out) (call $total (f32x4.add (local.get $one) (local.get $two))))
        (local.set $out (i32.add (local.get $out) (i32.const 4)))
        (local.set $count (i32.sub (local.get $count) (i32.const 1)))
        (br $each)))))
