#include "grammar/rules/class_members.hpp"

namespace irrewrite::grammar {

// The members of a class as bits: 1 signed, 2 unsigned, 4 float, 8 bool, 16 array, 32 record, 64 others.
static unsigned kinds(TypeClass cls) {
    if (lists_scalars(cls)) {
        unsigned found = 0;
        for (unsigned kind = 0; kind <= static_cast<unsigned>(TypeKind::F64); ++kind)
            if (static_cast<unsigned>(cls) >> kind & 1)
                found |= kind == 0                                      ? 8
                         : kind <= static_cast<unsigned>(TypeKind::I64) ? 1
                         : kind <= static_cast<unsigned>(TypeKind::U64) ? 2
                                                                        : 4;
        return found;
    }
    switch (cls) {
    case TypeClass::Any: return 127;
    case TypeClass::Int: return 3;
    case TypeClass::Signed: return 1;
    case TypeClass::Unsigned: return 2;
    case TypeClass::Float: return 4;
    case TypeClass::Num: return 7;
    case TypeClass::Bool: return 8;
    case TypeClass::Bits: return 11;
    case TypeClass::Scalar: return 15;
    case TypeClass::Array: return 16;
    case TypeClass::Record: return 32;
    }
    return 127;
}

bool disjoint(TypeClass a, TypeClass b) { return !(kinds(a) & kinds(b)); }
bool within(TypeClass a, TypeClass b) { return !(kinds(a) & ~kinds(b)); }

} // namespace irrewrite::grammar
