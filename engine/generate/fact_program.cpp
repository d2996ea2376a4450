#include "engine/generate/fact_program.hpp"

#include <algorithm>

namespace irrewrite {

bool FactProgram::build() {
    if (!pattern_.unroll()) return false;
    place_ = pattern_.find(pattern_.roots[0]), key_ = pattern_.find(pattern_.roots[1]);
    const PatternNode& place = pattern_[place_];
    if (place.kind != PatternNode::Kind::Node) return false;
    // Blocks of the fact's node that the fact does not mention have no results if they may.
    for (std::size_t i = 0; i < place.call->blocks.size(); ++i)
        if (!types_.count(place.call->blocks[i].results) &&
            !types_.unify(place.call->blocks[i].results, types_.list({})))
            return false;
    named_ = mentions(key_, place_);
    find_pieces(place_, false);
    builder_.start(entry());
    return leaves() && plan() && contents() && finish();
}

// -- metavariables ----------------------------------------------------------------------------------

void FactProgram::find_pieces(PieceId id, bool tested) {
    id = pattern_.find(id);
    const PatternNode& piece = pattern_[id];
    if (piece.kind == PatternNode::Kind::Leaf) of_place_.push_back(id);
    if (tested) tested_.insert(id);
    for (PieceId operand : piece.operands) find_pieces(operand, tested);
    for (std::size_t i = 0; i < piece.blocks.size(); ++i)
        for (PieceId result : piece.blocks[i].results)
            find_pieces(result, tested || (id == place_ && context_.operations[piece.op].signature.blocks[i].tests));
}

bool FactProgram::mentions(PieceId whole, PieceId part) const {
    whole = pattern_.find(whole);
    return whole == part ||
           std::ranges::any_of(pattern_[whole].operands, [&](PieceId id) { return mentions(id, part); });
}

// Makes a value for each leaf of the pattern, before everything else.
bool FactProgram::leaves() {
    Nodes steady; // tested, and the same each time
    for (std::uint32_t i = 0; i < pattern_.size(); ++i) {
        const PieceId id{i};
        if (pattern_.find(id) != id || pattern_[id].kind != PatternNode::Kind::Leaf || built_.contains(id)) continue;
        auto type = pattern_.type(id);
        if (!type) return false;
        if (is_memory(*type)) {
            auto made = memory(*type);
            if (!made) return false;
            built_[id] = *made;
            continue;
        }
        const bool tested = tested_.contains(id), of_place = std::ranges::find(of_place_, id) != of_place_.end();
        const bool held =
            tested ? sources_.empty() || choices_.rarely(40) : of_place && !style_.plain && choices_.rarely(30);
        auto from = held ? source(*type) : std::nullopt;
        auto made = from ? read(from->cell) : piece(id);
        if (!made) return false;
        if (from && tested && choices_.rarely(50))
            if (auto other = source(*type)) from->next = other->cell;
        if (from) sources_[id] = *from;
        if (tested && !from) steady.push_back(*made);
        built_[id] = *made;
        values_.push_back(*made);
    }
    // The tests of loops change in the end: to false, or to the value that they are compared with.
    for (auto& [id, source] : sources_) {
        const TypeId type = function_.graph.type(built_[id]);
        if (!tested_.contains(id)) continue;
        if (type == context_.types.boolean() && choices_.likely(80)) source.last = builder_.boolean(false);
        for (NodeId node : steady)
            if (!source.last && function_.graph.type(node) == type && choices_.likely(80)) source.last = node;
        if (!source.last) source.last = value(type);
    }
    return true;
}

// Reads a leaf again: another node, and perhaps another value.
void FactProgram::read_again(PieceId id) {
    id = pattern_.find(id);
    if (id == place_) return;
    if (auto from = sources_.find(id); from != sources_.end()) {
        if (!choices_.likely(80)) return;
        if (auto made = read(from->second.cell)) built_[id] = *made;
    } else if (pattern_[id].kind != PatternNode::Kind::Leaf) {
        for (PieceId operand : pattern_[id].operands) read_again(operand);
        built_.erase(id);
    }
}

// -- the node that establishes the fact, and the term that the fact rewrites --------------------------

bool FactProgram::place() {
    const PatternNode piece = pattern_[place_];
    for (PieceId operand : piece.operands) read_again(operand);
    built_.erase(place_);
    std::optional<NodeId> made;
    if (piece.call->blocks.empty()) {
        made = this->piece(place_);
    } else {
        Nodes operands;
        for (PieceId operand : piece.operands)
            if (auto node = this->piece(operand)) operands.push_back(*node);
        std::vector<BlockId> blocks;
        for (std::size_t i = 0; i < piece.call->blocks.size(); ++i)
            if (auto block = block_of_place(i)) blocks.push_back(*block);
        if (operands.size() != piece.operands.size() || blocks.size() != piece.call->blocks.size()) return false;
        made = builder_.apply(piece.op, attributes(piece), operands, blocks);
        if (made) built_[place_] = *made;
    }
    return made && show(*made);
}

std::optional<BlockId> FactProgram::block_of_place(std::size_t number) {
    const PatternNode piece = pattern_[place_];
    const Signature& signature = context_.operations[piece.op].signature;
    auto params = chosen(piece.call->blocks[number].params), types = chosen(piece.call->blocks[number].results);
    if (!params || !types) return std::nullopt;
    const bool tests = signature.blocks[number].tests;
    const bool looped = std::ranges::any_of(signature.blocks, [](const BlockSignature& b) { return b.tests; });
    Nodes results;
    auto part = [&] {
        if (!tests) {
            disturb();
            const bool here = fact_.after ? choices_.rarely(30) : number == fact_.block;
            if (here && !key_if_known()) return false;
            if (here) disturb();
        }
        if (number < piece.blocks.size() && !piece.blocks[number].results.empty()) {
            for (PieceId result : piece.blocks[number].results) {
                read_again(result);
                auto node = this->piece(result);
                if (node) results.push_back(*node);
            }
        } else {
            for (TypeId type : *types)
                if (auto node = value(type)) results.push_back(*node);
        }
        if (looped && !tests)
            for (const auto& [id, source] : sources_) {
                if (!source.last) continue;
                auto next = source.next ? read(*source.next) : source.last;
                if (!next || !write(source.cell, *next) || (source.next && !write(*source.next, *source.last)))
                    return false;
            }
        return results.size() == types->size();
    };
    return block(*params, part, results);
}

bool FactProgram::key() {
    read_again(key_);
    auto made = piece(key_);
    return made && show(*made);
}

// Shows the final contents of memory: of all cells if the fact is about an effect.
bool FactProgram::contents() {
    const bool all = types_.items(pattern_[key_].results).empty();
    const Nodes cells = cells_;
    for (NodeId cell : cells)
        if (all || choices_.rarely(30))
            if (auto held = read(cell); held && !show(*held)) return false;
    return true;
}

// -- the program ------------------------------------------------------------------------------------

bool FactProgram::plan() {
    auto changes = [&] { return disturb(); };
    auto known = [&] { return disturb() && (!choices_.likely(60) || key_if_known()); };
    auto taught = [&] { return disturb() && place() && disturb() && (choices_.rarely(30) ? key() : true); };
    switch (style_.plain ? 0 : choices_.weighted({5, 3, 3, 2, 3, 2})) {
    case 0: return place() && (style_.plain || disturb()) && key();
    case 1: return disturb() && place() && branch(known, changes) && key();
    case 2: return disturb() && place() && loop([&] { return disturb() && key() && disturb(); }) && disturb() && key();
    case 3: return branch(taught, changes) && key_if_known();
    case 4: return loop([&] { return known() && place() && disturb() && key() && disturb(); }) && key_if_known();
    default: return branch(taught, taught) && key_if_known();
    }
}

} // namespace irrewrite
